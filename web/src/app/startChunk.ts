// Modules that both a guest's screens and a signed-in user's first screen need. This file puts them into the
// page's own chunk, so that neither screen fetches the other's chunk.

import "../engine/keys";
import "../engine/refusalText";
import "../features/theme/Today";
import "../ui/InlineError";
import "../ui/focus";
import "../ui/leaf";
