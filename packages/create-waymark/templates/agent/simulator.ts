import type { Conversation } from '@waymark/model-simulator';

/**
 * Plays the model in `npm run dev` while no provider has a key: it refunds the order whose number is in the question, and
 * lists the orders otherwise. The README of `@waymark/model-simulator` has the words.
 */
export default function script({ turns }: Conversation): string | undefined {
  const asked = turns.findLast((turn) => turn.role === 'user');
  const [id] = /\d+/.exec(asked?.text ?? '') ?? [];
  return id === undefined
    ? '[[call list_orders {}]] [[say Those are the orders.]]'
    : `[[call refund_order {"id":${Number(id)}}]] [[say Order ${Number(id)} is refunded.]]`;
}
