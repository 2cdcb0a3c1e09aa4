/** Where a call comes from, as tracing has it. */

export interface TraceOrigin {
  /** As the W3C has it (Trace Context): `00-4bf9…-00f0…-01`. An invalid one is no parent. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Of a request of the Model Context Protocol. */
  readonly mcp?: McpOrigin | undefined;
}

export interface McpOrigin {
  readonly method: string;
  readonly requestId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly transport: 'pipe' | 'tcp';
}
