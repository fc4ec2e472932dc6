import type { FaultWire } from '../../../../../src/features/page/wire/settings.ts';
import { say } from '../../lib/language.ts';
import { settingsWords } from './words.ts';

interface FaultListProps {
  readonly faults: readonly FaultWire[];
  /** Leads to the place. */
  readonly onGo?: (fault: FaultWire) => void;
}

/** What keeps a text from being used, each with its line. */
export function FaultList({ faults, onGo }: FaultListProps) {
  return (
    <ul class="settings-list settings-faults">
      {faults.map((fault) => (
        <li key={`${fault.line}:${fault.column} ${fault.key} ${fault.text}`}>
          {onGo === undefined || fault.line === null ? (
            wordsOf(fault)
          ) : (
            <button type="button" class="settings-fault" onClick={() => onGo(fault)}>
              {wordsOf(fault)}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ line, key, text }: FaultWire): string {
  const said = key === '' ? text : `${key}: ${text}`;
  return line === null ? said : say(settingsWords).text.atLine({ line, text: said });
}
