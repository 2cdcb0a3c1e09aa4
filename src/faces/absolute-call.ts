/** Rewrites errors for callers that use absolute paths only, so that `.` does not mean the working directory. */

const WORKING_DIRECTORY = 'to list the working directory.';

/** The message with `directory`, the absolute working directory, in place of a call of `.`. */
export function withAbsoluteCall(message: string, directory: string): string {
  const relative = `Use . ${WORKING_DIRECTORY}`;
  if (!message.endsWith(relative)) return message;
  return `${message.slice(0, -relative.length)}Use ${directory} ${WORKING_DIRECTORY}`;
}
