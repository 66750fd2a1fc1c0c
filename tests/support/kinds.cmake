# The kinds of tests: the functions that the lists in tests/*/tests.cmake use.

# Time limits: TIMEOUT (seconds on two quiet cores) goes to support/limit.py, which limits the processor time of all of
# a test's processes to twice that, and its wall time to five times. ctest's own limit is above that.
find_program(TORRE_PYTHON python3)
if(TORRE_PYTHON)
  # Itself, not a script that looks for it, such as pyenv's, which takes longer than all that limit.py does.
  execute_process(
    COMMAND ${TORRE_PYTHON} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE torre_python
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  function(torre_limited seconds command)
    set(${command} ${torre_python} ${CMAKE_SOURCE_DIR}/tests/support/limit.py ${seconds} PARENT_SCOPE)
  endfunction()
else()
  message(WARNING "python3 not found: tests have a limit of wall time alone")
  function(torre_limited seconds command)
    set(${command} PARENT_SCOPE)
  endfunction()
endif()
# The wall limit in ctest.
function(torre_set_timeout test seconds)
  math(EXPR wall "5 * ${seconds} + 60")
  set_tests_properties(${test} PROPERTIES TIMEOUT ${wall})
endfunction()

# What the sanitizer passes of tests/run.sh build: the tests of label unit and ranks_agree.
add_custom_target(torre_sanitized)
add_dependencies(torre_sanitized torre)

# torre_gpu_test(NAME FILE [ARGS...]): needs a build with CUDA and no other library; exit status 77 without a GPU.
# All of them: tests/gpu.sh
function(torre_gpu_test name file)
  if(NOT TORRE_CUDA)
    return()
  endif()
  add_executable(test_${name} ${file})
  target_link_libraries(test_${name} PRIVATE torre_test_support)
  add_test(NAME ${name} COMMAND test_${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 600 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endfunction()

# More threads and ranks than cores: a waiting thread yields its core (tests/system/lib.sh). For the sanitizers: leaks
# of libraries, and races only between accesses of which one at least is in our code.
set(torre_environment
    OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
    LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/leaks.supp:print_suppressions=0
    TSAN_OPTIONS=ignore_noninstrumented_modules=1)

function(torre_test name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "ARGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "torre_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(GET file PARENT_PATH label)
  if(NOT label MATCHES "^(unit|physics|faults)$")
    message(FATAL_ERROR "torre_test(${name}): ${file} must lie in unit/, physics/ or faults/")
  endif()
  file(STRINGS ${file} uses_gsl REGEX "#include <gsl/")
  file(STRINGS ${file} uses_job_text REGEX "#include .*job_text.h")
  if(uses_gsl AND NOT gsl_FOUND)
    message(WARNING "test ${name} left out: GSL not found (install libgsl-dev)")
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(test_${name} ${file})
  target_link_libraries(test_${name} PRIVATE torre_test_support PkgConfig::cmocka)
  if(uses_gsl)
    target_link_libraries(test_${name} PRIVATE PkgConfig::gsl)
  endif()
  if(label STREQUAL unit)
    add_dependencies(torre_sanitized test_${name})
  endif()
  if(uses_job_text)
    target_sources(test_${name} PRIVATE support/job_text.c)
  endif()
  torre_limited(${arg_TIMEOUT} limit)
  add_test(
    NAME ${name}
    COMMAND ${limit} $<TARGET_FILE:test_${name}> ${arg_ARGS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  torre_set_timeout(${name} ${arg_TIMEOUT})
  set_tests_properties(
    ${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 ENVIRONMENT
                       "TORRE=$<TARGET_FILE:torre>;TORRE_SOURCE=${CMAKE_SOURCE_DIR};${torre_environment}")
endfunction()

# torre_mpi_test(NAME FILE RANKS...): the test once for each number of ranks, by mpirun; label mpi.
set(mpi_timeout 900)
if(TORRE_SANITIZE)
  set(mpi_timeout 1200)
endif()
torre_limited(${mpi_timeout} mpi_limit)
# More ranks than cores: an option of Open MPI; MPICH needs none.
set(TORRE_MPIEXEC_FLAGS --oversubscribe CACHE STRING "Options of the MPI launcher before the number of processes")
set(mpi_launcher ${MPIEXEC_EXECUTABLE} ${TORRE_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG})
function(torre_mpi_test name file)
  if(NOT MPI_C_FOUND)
    return()
  endif()
  add_executable(test_${name} ${file})
  target_link_libraries(test_${name} PRIVATE torre_test_support PkgConfig::cmocka)
  foreach(ranks ${ARGN})
    add_test(NAME ${name}_${ranks} COMMAND ${mpi_limit} ${mpi_launcher} ${ranks} $<TARGET_FILE:test_${name}>)
    torre_set_timeout(${name}_${ranks} ${mpi_timeout})
    set_tests_properties(
      ${name}_${ranks}
      PROPERTIES LABELS mpi SKIP_RETURN_CODE 77
                 # Memory that MPI keeps until the end belongs to modules that are unloaded by then: no suppression can
                 # name them.
                 ENVIRONMENT "${torre_environment};ASAN_OPTIONS=detect_leaks=0")
  endforeach()
endfunction()

# torre_thread_test(NAME FILE PROCESSES RANKS [ENVIRONMENT...]): an MPI test with several ranks in each process; without
# a launcher where there is one process.
function(torre_thread_test name file processes ranks)
  if(NOT TARGET test_${name})
    add_executable(test_${name} ${file})
    target_link_libraries(test_${name} PRIVATE torre_test_support PkgConfig::cmocka)
  endif()
  set(launcher)
  if(processes GREATER 1)
    if(NOT MPI_C_FOUND)
      return()
    endif()
    set(launcher ${mpi_launcher} ${processes})
  endif()
  set(test ${name}_${processes}x${ranks})
  if(ARGN)
    string(APPEND test _late)
  endif()
  add_test(NAME ${test} COMMAND ${mpi_limit} ${launcher} $<TARGET_FILE:test_${name}> ${ranks})
  torre_set_timeout(${test} ${mpi_timeout})
  set_tests_properties(
    ${test} PROPERTIES LABELS mpi ENVIRONMENT "${torre_environment};ASAN_OPTIONS=detect_leaks=0;${ARGN}")
endfunction()

# torre_mpi_late_test(NAME RANKS): an MPI test once more, with transfers that start late by random times.
function(torre_mpi_late_test name ranks)
  if(NOT MPI_C_FOUND)
    return()
  endif()
  add_test(NAME ${name}_late COMMAND ${mpi_limit} ${mpi_launcher} ${ranks} $<TARGET_FILE:test_${name}>)
  torre_set_timeout(${name}_late ${mpi_timeout})
  get_test_property(${name}_${ranks} ENVIRONMENT environment)
  set_tests_properties(
    ${name}_late PROPERTIES LABELS mpi ENVIRONMENT "${environment};TORRE_MESSAGE_DELAY_US=300;TORRE_TEST_SEEDS=3-4")
endfunction()
