// Which instruction sets a file may be compiled for beside the portable one.
#pragma once

#if defined(__GNUC__) && defined(__x86_64__)
#define BRIDGE_X86 1  // target attributes and run-time dispatch
#endif
#if defined(__GNUC__) && defined(__aarch64__)
#define BRIDGE_NEON 1
#endif
