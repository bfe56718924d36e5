package sam

// SweepAll is Sweep whatever the age, for tests in which nothing is being written.
var SweepAll = sweep
