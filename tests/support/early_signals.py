"""Signals to a program that has just been started: early_signals.py STARTS STATUS COMMAND...

Starts the command so many times and sends it one to five of TERM, USR1 and HUP, from 0 to 30 ms after its start,
whatever it has done by then. The command must end with STATUS. What a signal does while libraries are loaded is the
kernel's: it ends the process, and no program can change that. So a death by signal counts as a fault only where the
program had begun: a preloaded library makes the file EARLY_MARK when its constructor runs, which is after the program's
first function and before main. EARLY_RAISE, names of signals, lets the library send them there and then.

Needs cc. Prints each fault and a line of what happened; exit status 1 with faults, or when no start got that far."""

import os
import random
import signal
import subprocess
import sys
import time

LIBRARY = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) {
  static const struct { const char *name; int number; } kinds[] = {
    {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"HUP", SIGHUP}, {"INT", SIGINT}};
  const char *mark = getenv("EARLY_MARK"), *names = getenv("EARLY_RAISE");
  const int file = mark ? open(mark, O_CREAT | O_WRONLY, 0666) : -1;
  if (file >= 0) close(file);
  for (int i = 0; i < 4; i++) if (names && strstr(names, kinds[i].name)) kill(getpid(), kinds[i].number);
}
"""
KINDS = [signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP]


def start(command, raised=""):
    """Starts it with the library, which is made when it is not there."""
    if not os.path.exists("early.so"):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", "early.so", "-"], input=LIBRARY.encode(), check=True)
    if os.path.exists("early.mark"):
        os.remove("early.mark")
    env = dict(os.environ, LD_PRELOAD=os.path.abspath("early.so"), EARLY_MARK=os.path.abspath("early.mark"))
    env["EARLY_RAISE"] = raised
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    starts, wanted, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    begun = before = faults = 0
    for i in range(starts):
        raised = ["TERM", "USR1", "HUP", "INT", "TERM USR1 HUP"][i] if i < 5 else ""
        process = start([word.replace("%", str(i)) for word in command], raised)
        sent = []
        if not raised:
            time.sleep(random.uniform(0, 0.03))
            for _ in range(random.randint(1, 5)):
                sent.append(random.choice(KINDS))
                process.send_signal(sent[-1])
        text = process.communicate()[0].decode(errors="replace")
        begun += os.path.exists("early.mark")
        before += not os.path.exists("early.mark")
        if process.returncode != wanted and (process.returncode >= 0 or os.path.exists("early.mark")):
            faults += 1
            print("start %d, %s: status %d\n%s" % (i, raised or sent, process.returncode, text))
    print("%d starts, %d ended while libraries were loaded, %d faults" % (starts, before, faults))
    return faults > 0 or begun == 0


if __name__ == "__main__":
    sys.exit(main())
