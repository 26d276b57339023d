import { signal } from '@preact/signals';
import { render } from 'preact';
import { type App, AppProvider } from './app/app-context.ts';
import { Connection } from './app/connection.ts';
import { Console } from './app/console.tsx';
import { KeyBook } from './app/keys.ts';
import { Router } from './app/router.ts';
import { Session } from './app/session.ts';
import { ThemeChoice } from './app/theme.ts';
import { Toasts } from './app/toasts.ts';
import { Credentials } from './client/credentials.ts';
import { connectService } from './client/service.ts';
import { toAddress } from './client/service-address.ts';

start();

function start(): void {
  const prefix = document.querySelector<HTMLMetaElement>('meta[name=control-prefix]')?.content ?? '';
  const credentials = new Credentials();
  const service = connectService(toAddress(location, prefix), credentials, {
    onAnswer: (status) => {
      if (status === 401) session.expired();
    },
    onUnreachable: () => connection.lost(),
  });
  const session = new Session(service.control, credentials);
  const connection = new Connection((stopped) => service.control.health({}, { signal: stopped }));
  const now = signal(Date.now());
  setInterval(() => {
    now.value = Date.now();
  }, 1_000);
  const app: App = {
    ...{ service, session, connection, now },
    ...{ router: new Router(), keys: new KeyBook(), toasts: new Toasts(), theme: new ThemeChoice() },
  };
  void connection.refresh();
  void session.begin();
  render(
    <AppProvider value={app}>
      <Console />
    </AppProvider>,
    document.body,
  );
}
