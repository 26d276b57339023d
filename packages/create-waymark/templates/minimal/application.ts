import { createApplication, HTTPError, Type } from '@waymark/server';

/** What is served. `waymark dev` serves it, and again whenever this file changes. */
export const application = createApplication('my-application', { version: '0.1.0' });

// Pages of this application run no inline scripts, load nothing from elsewhere, and stand in no frame.
application.securityHeaders({ contentSecurityPolicy: 'pages' });

// `waymark dev` makes the keys that are not set. This one may do everything, the control plane (`/_svc`) included.
application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] });

const Greeting = Type.Object({ text: Type.String() }, { title: 'Greeting' });

application.get(
  '/greetings/{name}',
  {
    summary: 'Greet somebody by name.',
    input: { loud: Type.Boolean({ default: false }) },
    output: Greeting,
    tool: true,
    toolName: 'greet',
  },
  ({ name, loud }) => {
    if (name.length > 50) throw new HTTPError(422, 'nobody has such a long name');
    const text = `Hello, ${name}.`;
    return { text: loud ? text.toUpperCase() : text };
  },
);
