import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';
import { Brand } from './brand.tsx';

/** Asks for a key or a token. */
export function SignIn({ why }: { readonly why: string | undefined }): VNode {
  const { session } = useApp();
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const known = useMemo(developmentKey, []);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const key = field.current?.value.trim() ?? '';
    if (key === '') {
      setWrong('Enter a key first.');
      return;
    }
    setBusy(true);
    const reason = await session.signIn(key);
    setBusy(false);
    setWrong(reason);
    if (reason !== undefined) field.current?.select();
  };
  return (
    <main class="gate">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <Brand />
        <h1>Sign in</h1>
        {why !== undefined && (
          <p class="note" role="status">
            {why}
          </p>
        )}
        <div class="field">
          <label for="key">API key or token</label>
          <input
            ref={field}
            id="key"
            class="input mono"
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={wrong !== undefined}
            aria-describedby="key-hint"
          />
          {wrong !== undefined && (
            <p class="wrong" role="alert">
              {wrong}
            </p>
          )}
          <p class="hint" id="key-hint">
            Of a caller with <code>svc:admin</code>.{' '}
            {known && (
              <>
                During development it is <code>{known.variable}</code> in <code>{known.file}</code>.{' '}
              </>
            )}
            It is kept in no address and no storage of this browser.
          </p>
        </div>
        <button type="submit" class="button primary" aria-disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

/** Where the service says that a key is, while somebody develops it. */
function developmentKey(): { readonly variable: string; readonly file: string } | undefined {
  const said = document.querySelector<HTMLMetaElement>('meta[name=development-key]')?.content ?? '';
  const [, variable, file] = /^(\S+) (.+)$/.exec(said) ?? [];
  return variable === undefined || file === undefined ? undefined : { variable, file };
}
