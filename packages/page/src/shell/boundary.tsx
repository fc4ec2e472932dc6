import { Component, type ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { say } from '../lib/language.ts';
import { shellWords } from './words.ts';

interface BoundaryState {
  readonly fault: Error | undefined;
}

/** A view that fails does not take the others with it. Give it a key, so that the next one begins afresh. */
export class Boundary extends Component<{ readonly children: ComponentChildren }, BoundaryState> {
  override state: BoundaryState = { fault: undefined };

  override componentDidCatch(fault: Error): void {
    console.error(fault);
    this.setState({ fault });
  }

  override render() {
    return this.state.fault === undefined ? this.props.children : <Failed />;
  }
}

/** A part of the page has failed, or its code did not come. */
export function Failed() {
  const words = say(shellWords);
  return (
    <Notice
      kind="danger"
      title={words.fault}
      actions={<Button onPress={() => location.reload()}>{words.reload}</Button>}
    >
      {words.faultHelp}
    </Notice>
  );
}
