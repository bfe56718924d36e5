// There is no setjmp on this target. toybox jumps only after an error, so an
// error ends the program.
#pragma once
typedef int jmp_buf[1], sigjmp_buf[1];
#define setjmp(env) 0
#define sigsetjmp(env, save) 0
#define longjmp(env, value) _Exit(1)
#define siglongjmp(env, value) _Exit(1)
