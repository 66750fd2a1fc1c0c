# Writes OUT (tor_version.h) from src/tor_version.h.in at build time; the file is touched only when its text changes.
# Without a .git here (an unpacked archive) or without git, the hash reads "unknown".
set(GIT_HASH unknown)
if(EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(
      COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE hash
      OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET
      RESULT_VARIABLE status)
    if(status EQUAL 0 AND hash)
      set(GIT_HASH ${hash})
    endif()
  endif()
endif()
if(SANITIZE)
  string(APPEND BUILD_TYPE " ${SANITIZE}")
endif()
configure_file(${SOURCE}/src/tor_version.h.in ${OUT} @ONLY)
