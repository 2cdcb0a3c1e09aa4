/** The origin of a call, for distributed tracing. */

export interface TraceOrigin {
  /** The header of W3C Trace Context: `00-4bf9…-00f0…-01`. An invalid one is ignored. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Set for a request of the Model Context Protocol. */
  readonly mcp?: McpOrigin | undefined;
}

export interface McpOrigin {
  readonly method: string;
  readonly requestId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly transport: 'pipe' | 'tcp';
}
