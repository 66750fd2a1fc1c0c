"""Sends signals to a command that it starts: signals.py WHEN SIGNALS COMMAND...

WHEN     handlers     as soon as the process takes SIGTERM (Linux: SigCgt)
         FILE:TEXT    as soon as the file has the text; FILE:TEXT+S: S seconds later
SIGNALS  names joined by commas, each sent once; after a name ending in `?` the next waits until the command has printed
         what follows it (INT?Ctrl-C,INT). `storm`: TERM, USR1 and HUP at random, one each 0.2 to 2 ms until the
         command ends.
         A name that begins with `group-` goes to the whole process group, as Ctrl-C in a terminal does.

Prints what the command printed and as the last line its exit status, -N after signal N. The command takes SIGINT, even
where this script is a shell's background job."""

import os
import random
import signal
import subprocess
import sys
import time


def takes_term(pid):
    with open(f"/proc/{pid}/status") as status:
        caught = [int(line.split()[1], 16) for line in status if line.startswith("SigCgt")]
    return caught and caught[0] >> (signal.SIGTERM - 1) & 1


def wait_for(process, when):
    while process.poll() is None:
        if when == "handlers":
            if takes_term(process.pid):
                return
        else:
            path, text = when.split(":", 1)
            text, _, later = text.partition("+")
            if os.path.exists(path) and text in open(path, errors="replace").read():
                time.sleep(float(later or 0))
                return
        time.sleep(0.001)


def read_until(process, text):
    """Returns what is printed up to the text."""
    seen = b""
    while text.encode() not in seen:
        more = os.read(process.stdout.fileno(), 65536)
        if not more:
            break
        seen += more
    return seen


def main():
    when, signals, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    seen = b""
    wait_for(process, when)
    if signals == "storm":
        kinds = [signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP]
        while process.poll() is None:
            process.send_signal(random.choice(kinds))
            time.sleep(random.uniform(0.0002, 0.002))
    else:
        for word in signals.split(","):
            name, _, answer = word.partition("?")
            number = getattr(signal, "SIG" + name.replace("group-", ""))
            if name.startswith("group-"):
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            if answer:
                seen += read_until(process, answer)
    seen += process.communicate()[0]
    sys.stdout.write(seen.decode(errors="replace"))
    print(process.returncode)


if __name__ == "__main__":
    main()
