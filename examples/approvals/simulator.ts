import type { Conversation } from '@waymark/model-simulator';

/** Plays the model while no provider has a key: it refunds the order whose number is in the question. */
export default function script({ turns }: Conversation): string | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'user') return '[[say Done.]]';
  const id = Number(/\d+/.exec(last.text)?.[0] ?? 1);
  return `[[call refund_order {"id":${id},"euros":${id * 49}}]]`;
}
