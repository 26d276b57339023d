import type { Conversation } from '@waymark/model-simulator';

/**
 * Plays the model in `npm run dev` while no provider has a key: it refunds the order whose number is in the question, and
 * lists the orders otherwise. The README of `@waymark/model-simulator` has the words.
 */
export default function script({ turns }: Conversation): string | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'user') return '[[say That is all there is to it.]]';
  const [id] = /\d+/.exec(last.text) ?? [];
  return id === undefined ? '[[call list_orders {}]]' : `[[call refund_order {"id":${Number(id)}}]]`;
}
