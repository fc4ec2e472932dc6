import type { ToolRegistration } from '../../tool-registration.ts';
import type { ToolSpec } from './tool-spec.ts';

/** A tool that a socket has on offer. */
export interface OfferedTool {
  readonly spec: ToolSpec;
  /** Grows with each tool that is offered. */
  readonly order: number;
  /** As it is called where the person is: the same object for the same name. */
  readonly registeredAs: (name: string) => ToolRegistration;
}

/** `make`: makes the tool under the name that the model calls it. */
export function offeredTool(spec: ToolSpec, order: number, make: (name: string) => ToolRegistration): OfferedTool {
  const made = new Map<string, ToolRegistration>();
  return {
    spec,
    order,
    registeredAs: (name) => {
      const registration = made.get(name) ?? make(name);
      made.set(name, registration);
      return registration;
    },
  };
}
