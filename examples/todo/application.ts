import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApplication, Type } from '@waymark/server';

// What `npm run build` writes; a client can be generated before there is one.
const assets = join(import.meta.dirname, 'assets');
mkdirSync(assets, { recursive: true });

export const application = createApplication('todo', {
  database: 'sqlite://todo.db',
  templates: join(import.meta.dirname, 'templates'),
})
  .apiKey('EDITOR_KEY', 'editor', { scopes: ['svc:admin', 'todos'] })
  .securityHeaders({ contentSecurityPolicy: 'pages' })
  .resource(
    'todos',
    { text: Type.String({ minLength: 1, maxLength: 200 }), done: Type.Boolean({ default: false }) },
    { tools: true, scopes: ['todos'] },
  )
  .staticFiles('/assets', assets)
  .page('/', 'home', { data: { title: 'To do' } });
