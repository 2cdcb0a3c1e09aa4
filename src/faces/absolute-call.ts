/** Words errors for callers that name everything absolutely: the working directory is not `.` to them. */

const WORKING_DIRECTORY = 'to list the working directory.';

/** The sentence with `directory`, the working directory as such a caller names it, in place of a call of `.`. */
export function withAbsoluteCall(message: string, directory: string): string {
  const relative = `Use . ${WORKING_DIRECTORY}`;
  if (!message.endsWith(relative)) return message;
  return `${message.slice(0, -relative.length)}Use ${directory} ${WORKING_DIRECTORY}`;
}
