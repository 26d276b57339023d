import { useComputed, useSignalEffect } from '@preact/signals';
import { toVisible } from '@waymark/contract/text';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ToastList } from '../design/toast-list.tsx';
import { useApp, useKeys } from './app-context.ts';
import { Banners } from './banners.tsx';
import { Brand } from './brand.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { pages } from './page-list.ts';
import { PageView } from './page-view.tsx';
import { toFragment } from './place.ts';

/** What stands around every page. */
export function Frame(): VNode {
  const app = useApp();
  const { router } = app;
  const [helps, setHelps] = useState(false);
  useKeys([
    { keys: '?', says: 'show the keys', press: () => setHelps(true) },
    ...pages.map(({ path, title, key }) => ({
      keys: `g ${key}`,
      says: `go to ${title}`,
      press: () => router.go(toFragment(path)),
    })),
  ]);
  useTitle();
  const { page } = router.place.value;
  // Whoever moves by keyboard or hears the page begins at its top.
  useEffect(() => document.getElementById('main')?.focus(), [page]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <div class="frame">
        <header class="side">
          <Brand />
          <Navigation />
          <Foot onHelp={() => setHelps(true)} />
        </header>
        <Banners />
        <main class="main" id="main" tabIndex={-1}>
          <PageView />
        </main>
      </div>
      <ToastList />
      {helps && <KeysDialog onClose={() => setHelps(false)} />}
    </>
  );
}

function Navigation(): VNode {
  const app = useApp();
  const current = app.router.place.value.page;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone they are in a row that is longer than the window.
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current]);
  return (
    <nav class="nav" aria-label="Pages" ref={bar}>
      {pages.map(({ path, title, count }) => {
        const waiting = count?.(app) ?? 0;
        return (
          <a key={path} href={toFragment(path)} aria-current={path === current ? 'page' : undefined}>
            {title}
            {waiting > 0 && (
              <span class="count">
                {waiting}
                <span class="unseen"> waiting</span>
              </span>
            )}
          </a>
        );
      })}
    </nav>
  );
}

function Foot({ onHelp }: { readonly onHelp: () => void }): VNode {
  const { session, theme } = useApp();
  const state = session.state.value;
  const chosen = theme.theme.value;
  return (
    <div class="foot">
      <p class="who small soft cut">{state.at === 'in' && `signed in as ${state.name}`}</p>
      <button type="button" class="button plain slight wide" onClick={onHelp}>
        Keys <kbd>?</kbd>
      </button>
      <button type="button" class="button plain slight" onClick={() => theme.next()}>
        Theme: {chosen === 'system' ? 'auto' : chosen}
      </button>
      {state.at === 'in' && !state.open && (
        <button type="button" class="button plain slight" onClick={() => void session.signOut()}>
          Sign out
        </button>
      )}
    </div>
  );
}

/** The title says where one is, and how many wait for a decision. */
function useTitle(): void {
  const { connection, router } = useApp();
  const title = useComputed(() => {
    const { page } = router.place.value;
    const { app = 'Console', pending_approvals: waiting = 0 } = connection.health.value ?? {};
    const name = pages.find(({ path }) => path === page)?.title;
    return `${waiting > 0 ? `(${waiting}) ` : ''}${name === undefined ? '' : `${name} · `}${app}`;
  });
  useSignalEffect(() => {
    document.title = toVisible(title.value);
  });
}
