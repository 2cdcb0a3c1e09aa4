#!/usr/bin/env node
/** Owns the process of the command line: arguments in, streams out, an exit code. */

export {};
