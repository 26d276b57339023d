import { type FormEvent, useEffect, useState } from 'react';
import { createClient } from './client.ts';

// The page is of the same origin: the session of whoever has signed in goes along.
const client = createClient({ baseUrl: location.origin });

type Todo = Awaited<ReturnType<typeof client.listTodos>>[number];

/** What is to be done: add, tick off, take away. Each change is a call of the generated client. */
export function Todos() {
  const [todos, setTodos] = useState<readonly Todo[]>([]);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const load = () => client.listTodos({ sort: 'id', limit: 200 }).then(setTodos);
  const change = (done: Promise<unknown>) => {
    setWrong('');
    done.then(load).catch((error: unknown) => setWrong(String(error)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is shown
  useEffect(() => void load(), []);
  const add = (event: FormEvent) => {
    event.preventDefault();
    change(client.createTodos({ text }).then(() => setText('')));
  };
  return (
    <>
      <form onSubmit={add}>
        <label>
          To do <input value={text} onChange={({ target }) => setText(target.value)} required />
        </label>{' '}
        <button type="submit">Add</button>
      </form>
      {wrong !== '' && <p role="alert">{wrong}</p>}
      <ul>
        {todos.map(({ id, text, done }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() => change(client.updateTodos({ id, done: !done }))}
              />{' '}
              {done ? <s>{text}</s> : text}
            </label>{' '}
            <button type="button" onClick={() => change(client.deleteTodos({ id }))}>
              Remove <span hidden>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
