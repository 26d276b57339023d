import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Todos } from './todos.tsx';

const place = document.querySelector('#todos');
if (place)
  createRoot(place).render(
    <StrictMode>
      <Todos />
    </StrictMode>,
  );
