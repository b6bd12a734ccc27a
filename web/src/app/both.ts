// What a guest's screens and a signed-in person's first one both need: it stands in the page's own file,
// so that neither fetches the other's.

import "../features/theme/Today";
import "../ui/focus";
import "../ui/leaf";
