// An application of its own process that proxies to UPSTREAM, and tells the most memory it ever had.
import { createProxies, proxy, upstream } from '@waymark/pages';
import { createApplication } from '@waymark/server';

const app = createApplication('shop', { port: 0 });
app.get('/memory', () => ({ maxRssBytes: process.resourceUsage().maxRSS * 1024 }));
app.add(
  createProxies([
    upstream('desk', process.env['UPSTREAM'] ?? ''),
    proxy('POST', '/echo', 'desk'),
    proxy('POST', '/take', 'desk'),
    proxy('GET', '/give', 'desk'),
  ]),
);
const { url } = await app.listen();
console.log(`url ${url}`);
