import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { type App, AppProvider } from './app/app-context.ts';
import { Connection } from './app/connection.ts';
import { Console } from './app/console.tsx';
import { keepFocus } from './app/keep-focus.ts';
import { KeyBook } from './app/keys.ts';
import { Live, liveTypes } from './app/live.ts';
import { pages } from './app/page-list.ts';
import { Router } from './app/router.ts';
import { Session } from './app/session.ts';
import { ThemeChoice } from './app/theme.ts';
import { Toasts } from './app/toasts.ts';
import { connectService } from './client/service.ts';
import { toAddress } from './client/service-address.ts';
import { showEscapes } from './design/show-escapes.ts';

start();

function start(): void {
  showEscapes();
  const code = takeCode();
  const prefix = document.querySelector<HTMLMetaElement>('meta[name=control-prefix]')?.content ?? '';
  const service = connectService(toAddress(location, prefix), {
    onAnswer: (status) => {
      if (status === 401) void session.doubt();
    },
    onUnreachable: () => connection.lost(),
  });
  const session = new Session(service.session, service.control);
  const connection = new Connection((stopped) => service.control.health({}, { signal: stopped }));
  const live = new Live(service.control, liveTypes, () => void connection.refresh());
  const now = signal(Date.now());
  setInterval(() => {
    now.value = Date.now();
  }, 1_000);
  const router = new Router();
  const app: App = {
    ...{ service, session, connection, live, now, router },
    ...{ keys: new KeyBook(), toasts: new Toasts(), theme: new ThemeChoice() },
  };
  void connection.refresh();
  effect(() => {
    if (session.isAdmin) live.start();
    else live.stop();
  });
  effect(() => {
    if (connection.state.value === 'lost') live.lost();
  });
  // What happens to approvals is counted in health.
  live.listen((type) => {
    if (type === 'approval') void connection.refresh();
  });
  keepFocus();
  void session.begin(code);
  // Its script is on its way while the service says who looks; who shows the page says what is wrong with it.
  pages
    .find(({ path }) => path === router.place.peek().page)
    ?.load()
    .catch(() => {});
  render(
    <AppProvider value={app}>
      <Console />
    </AppProvider>,
    document.body,
  );
}

/** The code of a link that signs in: fragments are sent to nobody, and it leaves the address at once. */
function takeCode(): string | undefined {
  const [, code, rest = ''] = /^#code=([\w-]+)(.*)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(history.state, '', `${location.pathname}#${rest}`);
  return code;
}
