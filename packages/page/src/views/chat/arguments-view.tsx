import { readable } from './arguments.ts';

/** All arguments of a call, each with its name. */
export function ArgumentsView({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="chat-arguments">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{readable(one)}</dd>
        </div>
      ))}
    </dl>
  );
}
