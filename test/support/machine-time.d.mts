/** Milliseconds so far that the main thread lost to the machine: waiting for a processor, and slow page faults. */
export declare function machineMs(): number;

/** Milliseconds so far that the main thread worked; by the clock if the system gives no numbers. */
export declare function workMs(): number;
