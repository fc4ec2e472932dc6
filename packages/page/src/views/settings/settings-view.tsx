import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function SettingsView() {
  return <h1>{say(viewWords).settings}</h1>;
}
