import { join } from 'node:path';
import { createApplication, Type } from '@waymark/server';

/** What is served. `waymark dev` serves it, and again whenever this file changes. */
export const application = createApplication('my-application', {
  version: '0.1.0',
  // A file where it is started; WAYMARK_DATABASE_URL names another.
  database: 'sqlite://my-application.db',
  templates: join(import.meta.dirname, 'templates'),
});

// Pages of this application run no inline scripts, load nothing from elsewhere, and stand in no frame.
application.securityHeaders({ contentSecurityPolicy: 'pages' });

// `waymark dev` makes the keys that are not set.
application.apiKey('EDITOR_KEY', 'editor', { scopes: ['svc:admin', 'notes:read', 'notes:write'] });
application.apiKey('READER_KEY', 'reader', { scopes: ['notes:read'] });

// Five routes and five tools over one table: list, get, create, update, delete.
application.resource(
  'notes',
  {
    text: Type.String({ minLength: 1, maxLength: 500 }),
    done: Type.Boolean({ default: false }),
  },
  { tools: true, readScopes: ['notes:read'], writeScopes: ['notes:write'] },
);

// Any SQL is a route.
application.query('GET', '/notes/count', 'select count(*) as notes, sum(not done) as open from notes', {
  summary: 'Count the notes, and those that are open.',
  returns: 'one',
  tool: true,
  toolName: 'count_notes',
  scopes: ['notes:read'],
});

// Whoever opens the page sees the open ones.
application.page('/', 'notes', {
  sql: 'select id, text from notes where not done order by id desc limit 100',
  bind: 'notes',
});
