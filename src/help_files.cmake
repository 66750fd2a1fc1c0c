# Writes MAN (the manual page) and BASH (the completion) by the program TORRE itself. A program for another CPU cannot
# run here: then there are none, and the build does not fail.
foreach(kind MAN BASH)
  string(TOLOWER ${kind} option)
  execute_process(
    COMMAND ${TORRE} help --${option}
    OUTPUT_FILE ${${kind}}
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(STATUS "no manual page and completion: ${TORRE} does not run on this machine (${status})")
    file(REMOVE ${MAN} ${BASH})
    break()
  endif()
endforeach()
