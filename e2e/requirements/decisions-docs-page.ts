import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decision 12.3: the page of the OpenAPI document. */
export const decisionsDocsPage: readonly Requirement[] = [
  ...decision.built('12.3', {
    'docs-page.shown':
      'A page shows the document: operations by tag, and of each all that it takes and answers.',
    'docs-page.search': 'Operations are found by any words of theirs, and have addresses of their own.',
    'docs-page.calls': 'A form that is made of the schemas makes calls, and shows what is answered.',
    'docs-page.errors': 'What is wrong with the input is told beside its field, and a refusal says why.',
    'docs-page.events': 'What a call reports of its progress is shown as it comes.',
    'docs-page.meant':
      'A call that changes something is made by its button alone; one that destroys, by two presses.',
    'docs-page.snippets': 'A call is shown for curl, the generated client and MCP, as the form stands.',
    'docs-page.shell': 'A POSIX shell reads the curl line as exactly what the form holds.',
    'docs-page.method-names': 'The document names the method that the generated client has for an operation.',
    'docs-page.key': 'A key is kept in the memory of the page, and stands in no address, storage or snippet.',
    'docs-page.no-facts': 'Without the document the page says nothing of the application.',
    'docs-page.asks': 'Who may not read the document is asked for a key, and told why one does not fit.',
    'docs-page.public': "`openapi: 'public'` lets anybody read the document, and so the page.",
    'docs-page.public-noted': 'The security report notes a public document.',
    'docs-page.loopback': 'Without authentication page and document are for this machine.',
    'docs-page.policy': 'The page runs its own script, and asks its own server alone.',
    'docs-page.hostile':
      'No text of a document or an answer becomes markup, or is seen as another one than it is.',
    'docs-page.small': 'Its first load takes 40 kB at most.',
    'docs-page.accessible': 'It is used by keyboard alone, at 360 px, light and dark.',
    'docs-page.reported': 'The first screen says where it is.',
  }),
];
