import { join } from 'node:path';
import { type Application, type ApplicationOptions, createApplication } from '@waymark/server';
import { declareAgents } from './agents.ts';
import { declareBilling } from './billing.ts';
import { declareDesk } from './desk.ts';
import { declareDevices } from './devices.ts';
import { declareLookout } from './lookout.ts';
import { declarePages } from './pages.ts';
import { declareTriage } from './triage.ts';

/** What the reference application is started with besides options. */
export interface ExampleParts {
  /** Where the billing service is; nobody answers there by default. */
  readonly billingUrl?: string;
  /** Where the camera of the dock is; nobody answers there by default. */
  readonly dockUrl?: string;
  /** Who hears what the watcher of the lobby concludes; by default it is posted to nobody. */
  readonly sightingsUrl?: string;
}

/**
 * The reference application: a support desk on demo data. Three keys: the operator may do everything, a device may
 * only send, a reader may only read.
 *
 * @param options its data is in memory unless they name a `database`
 */
export function createExample(
  options: ApplicationOptions = {},
  { billingUrl = 'http://127.0.0.1:9', dockUrl = 'http://127.0.0.1:9', sightingsUrl }: ExampleParts = {},
): Application {
  const app = createApplication('support-desk', {
    description: 'A support desk: read, open, summarise and purge tickets.',
    database: ':memory:',
    templates: join(import.meta.dirname, 'templates'),
    ...options,
  });

  app.apiKey('OPERATOR_KEY', 'operator', {
    scopes: ['svc:admin', 'tickets:read', 'tickets:write', 'tickets:purge', 'devices:read', 'devices:ingest'],
  });
  app.apiKey('DEVICE_KEY', 'device', { scopes: ['devices:ingest'] });
  app.apiKey('READER_KEY', 'reader', { scopes: ['tickets:read', 'devices:read'] });

  app.rateLimit(50, { burst: 100 });
  app.securityHeaders({ contentSecurityPolicy: 'pages' });

  app.static(
    'GET',
    '/',
    { app: 'support-desk', board: '/board', openapi: '/_svc/openapi.json', mcp: '/_svc/mcp' },
    { summary: 'Says where to look.' },
  );

  declareDesk(app);
  declarePages(app);
  declareBilling(app, billingUrl);
  declareDevices(app, dockUrl);
  declareAgents(app);
  declareLookout(app, sightingsUrl);
  declareTriage(app);
  return app;
}
