/** Milliseconds so far that the machine, and not the main thread, took. */
export declare function machineMs(): number;
