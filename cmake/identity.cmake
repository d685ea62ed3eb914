# Writes OUTPUT, a header with a hash of the library's source files in FOLDER and of FLAGS, the way they are compiled:
#     cmake -D FOLDER=... -D FLAGS=... -D OUTPUT=... -P cmake/identity.cmake
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/src/*.[ch] ${FOLDER}/include/*.h)
list(SORT files)
set(text "${FLAGS}")
foreach(file ${files})
  file(SHA256 ${FOLDER}/${file} hash)
  string(APPEND text "\n${file} ${hash}")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#define MARACA_BUILD_HASH \"${hash}\"\n")
