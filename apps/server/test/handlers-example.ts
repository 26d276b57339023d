import { createApplication, image, Type } from '@waymark/server';

const pictures = new Map([['dot', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')]]);

export const application = createApplication('studio', { port: 0 })
  // Content: a model sees the picture, and everybody else reads where it stands in the value.
  .get('/pictures/{name}', { tool: true }, ({ name }) => {
    'Show a picture.';
    const bytes = pictures.get(name);
    return bytes ? { name, picture: image(bytes) } : { name };
  })
  // Progress: each `yield` is an event for whoever listens, and `return` is the answer.
  .post(
    '/films',
    { input: { frames: Type.Integer({ maximum: 100 }) }, tool: true },
    async function* ({ frames }) {
      'Make a film.';
      for (let done = 1; done <= frames; done++)
        yield { event: 'progress', data: { done, total: frames, message: `frame ${done}` } };
      return { frames };
    },
  )
  // The request: who asks, what was sent, and when to give up.
  .post('/notes', { summary: 'Keep a note.' }, (_input, request) => {
    request.progress(1, 2, 'read');
    const { id, method, path, query, headers, user, signal } = request;
    return {
      ...{ id, method, path, query, asker: user.id, language: headers['accept-language'] },
      ...{ title: request.get('title', 'untitled'), bytes: request.body.length, late: signal.aborted },
    };
  });
