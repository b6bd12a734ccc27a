// Imports modules that the screens of guests and the first screen of signed-in users need. This puts them
// into the page's own chunk, so that no screen fetches a chunk of the other kind.

import "../engine/keys";
import "../engine/refusalText";
import "../features/theme/Today";
import "../ui/InlineError";
import "../ui/Note";
import "../ui/focus";
import "../ui/leaf";
