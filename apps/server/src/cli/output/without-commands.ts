/** Everything that a terminal would take for a command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const commands = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** What others wrote, as text: a model, a camera and a server may say whatever somebody made them say. */
export function withoutCommands(text: string): string {
  return text.replace(commands, '');
}
