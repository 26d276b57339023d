// An agent whose sockets are left while their messages are read; no model is asked.
import { createApplication } from '@waymark/server';

const app = createApplication('left', { port: 0 });
app.apiKey('DESK_KEY', 'desk', { scopes: ['use'] });
app.provider('nobody', 'http://127.0.0.1:9', { kind: 'anthropic' });
app.models({ default: 'nobody/none' });
app.agent('clerk', { exposeScopes: ['use'] });
const { url } = await app.listen();
console.log(`url ${url}`);
