import { toVisible } from '@waymark/contract/text';

/**
 * What others wrote, as text: a model, a camera and a server may say whatever somebody made them say. What a terminal would
 * take for a command, and what nobody would see, is written out.
 */
export function toScreenText(text: string): string {
  return toVisible(text.replaceAll('\r\n', '\n'));
}
