import { join } from 'node:path';
import { createApplication, Type } from '@waymark/server';

/** Every word has to be in the text; what is special in a pattern is not special in a search. */
const search = `select id, text from notes
  where not exists (
    select 1 from json_each('["' || replace(replace(replace(trim(:words), '\\', '\\\\'), '"', '\\"'), ' ', '","') || '"]')
    where instr(lower(text), lower(value)) = 0
  )
  order by id desc limit 50`;

export const application = createApplication('notes', {
  database: 'sqlite://notes.db',
  templates: join(import.meta.dirname, 'templates'),
})
  .apiKey('EDITOR_KEY', 'editor', { scopes: ['svc:admin', 'notes:read', 'notes:write'] })
  .securityHeaders({ contentSecurityPolicy: 'pages' })
  .resource(
    'notes',
    { text: Type.String({ minLength: 1, maxLength: 500 }) },
    { tools: true, readScopes: ['notes:read'], writeScopes: ['notes:write'] },
  )
  .query('GET', '/search', search, {
    params: { words: Type.String({ maxLength: 100 }) },
    summary: 'Search the notes: those that have every word.',
    tool: true,
    toolName: 'search_notes',
    scopes: ['notes:read'],
  })
  .page('/', 'home', { data: {} })
  .page('/found', 'found', {
    sql: search,
    params: { words: Type.String({ maxLength: 100 }) },
    bind: 'notes',
    scopes: ['notes:read'],
  });
