import {
  type Application,
  createApplication,
  HTTPError,
  image,
  media,
  resource,
  Type,
} from '@waymark/server';
import { conditionalSchema } from './conditional-schema.ts';
import { png, wav } from './samples.ts';

/** The tools that the official suites ask for, declared like any other route: the protocol is nobody's business here. */
export function createFixture(): Application {
  const app = createApplication('conformance', { port: 0, env: { LOG_LEVEL: 'silent' } });
  app.post(
    '/simple-text',
    { tool: true, toolName: 'test_simple_text', summary: 'Answers with a text.' },
    () => 'This is a simple text response for testing.',
  );
  app.post(
    '/image',
    {
      tool: true,
      toolName: 'test_image_content',
      summary: 'Answers with an image.',
      output: media('image/png'),
    },
    () => png,
  );
  app.post(
    '/audio',
    {
      tool: true,
      toolName: 'test_audio_content',
      summary: 'Answers with a sound.',
      output: media('audio/wav'),
    },
    () => wav,
  );
  app.post(
    '/embedded-resource',
    { tool: true, toolName: 'test_embedded_resource', summary: 'Answers with a resource.' },
    () => resource('test://embedded-resource', 'This is an embedded resource content.'),
  );
  app.post(
    '/mixed',
    {
      tool: true,
      toolName: 'test_multiple_content_types',
      summary: 'Answers with several kinds of content.',
    },
    () => [
      'Multiple content types test:',
      image(png),
      resource('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  );
  app.post('/error', { tool: true, toolName: 'test_error_handling', summary: 'Fails.' }, () => {
    throw new HTTPError(409, 'This tool intentionally returns an error for testing');
  });
  app.post(
    '/progress',
    { tool: true, toolName: 'test_tool_with_progress', summary: 'Says how far it is.' },
    async (_input, request) => {
      for (const done of [0, 50, 100]) {
        request.progress(done, 100);
        await pause(50);
      }
      return 'done';
    },
  );
  app.post(
    '/json-schema',
    {
      tool: true,
      toolName: 'json_schema_2020_12_tool',
      summary: 'Takes a raw schema.',
      input: conditionalSchema,
    },
    (input) => input,
  );
  app.post(
    '/header',
    {
      tool: true,
      toolName: 'test_header_param',
      summary: 'Takes a parameter that is mirrored in a header.',
      input: { region: Type.String({ 'x-mcp-header': 'Region' }) },
    },
    ({ region }) => region,
  );
  app.post(
    '/missing-capability',
    {
      tool: true,
      toolName: 'test_missing_capability',
      summary: 'Is for clients that can sample.',
      input: {
        type: 'object',
        properties: {},
        additionalProperties: false,
        'x-mcp-client-capabilities': { sampling: {} },
      },
    },
    () => 'done',
  );
  app.post(
    '/elicitation',
    { tool: true, toolName: 'test_streaming_elicitation', summary: 'Asks nothing after all.' },
    () => 'done',
  );
  app.post('/logging', { tool: true, toolName: 'test_logging_tool', summary: 'Logs nothing.' }, () => 'done');
  app.post(
    '/echo',
    {
      tool: true,
      toolName: 'echo',
      summary: 'Gives back a text.',
      input: { text: Type.String() },
      output: Type.Object({ text: Type.String() }),
    },
    ({ text }) => ({ text }),
  );
  return app;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
