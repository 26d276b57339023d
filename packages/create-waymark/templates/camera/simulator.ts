import type { Conversation } from '@waymark/model-simulator';

/** Plays the model in `npm run dev` while no provider has a key. It cannot see, and says so. */
export default function script({ turns }: Conversation): string | undefined {
  const asked = turns.at(-1);
  const [picture] = asked?.role === 'user' ? asked.images : [];
  return picture && '[[say A picture came, which a model with a key would look at.]]';
}
