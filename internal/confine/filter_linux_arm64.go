package confine

var refusedArch []uint32
