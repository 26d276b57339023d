import type { VNode } from 'preact';
import { useApp } from './app-context.ts';
import { Brand } from './brand.tsx';
import { Frame } from './frame.tsx';
import { SignIn } from './sign-in.tsx';

/** The console: whoever is signed in sees the pages, everybody else is asked for a key. */
export function Console(): VNode {
  const { session } = useApp();
  const state = session.state.value;
  if (state.at === 'in') return <Frame />;
  if (state.at === 'out') return <SignIn why={state.why} />;
  return (
    <main class="gate" aria-busy="true">
      <Brand />
    </main>
  );
}
