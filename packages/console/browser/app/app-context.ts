import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import type { Service } from '../client/service.ts';
import type { Connection } from './connection.ts';
import type { KeyAction, KeyBook } from './keys.ts';
import type { Live } from './live.ts';
import type { Router } from './router.ts';
import type { Session } from './session.ts';
import type { ThemeChoice } from './theme.ts';
import type { Toasts } from './toasts.ts';

/** What every part of the console may use. */
export interface App {
  readonly service: Service;
  readonly session: Session;
  readonly connection: Connection;
  readonly live: Live;
  readonly router: Router;
  readonly keys: KeyBook;
  readonly toasts: Toasts;
  readonly theme: ThemeChoice;
  /** Epoch milliseconds, a new one each second: for ages. */
  readonly now: ReadonlySignal<number>;
}

const Context = createContext<App | undefined>(undefined);

/** Gives the app to everything below it. */
export const AppProvider = Context.Provider;

/** The app that a component is part of. */
export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error('this component stands outside of the app');
  return app;
}

/** Has keys do something as long as the component is shown. */
export function useKeys(actions: readonly KeyAction[]): void {
  const { keys } = useApp();
  const newest = useRef(actions);
  newest.current = actions;
  // Before it is drawn: what is seen can be pressed.
  useLayoutEffect(() => keys.add(() => newest.current), [keys]);
}
