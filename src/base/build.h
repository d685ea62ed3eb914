// Which build of the library this is.
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

// Another text for every change of a source file, of the compiler, of its flags, and for each level of
// instructions: two programs with the same text compute the same bits.
const char *build_identity(void);

#endif
