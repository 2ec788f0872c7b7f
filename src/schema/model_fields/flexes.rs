//! Deformable bodies.

macro_rules! flexes_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // flexes
            flex_contype: int [nflex] "bits" "Contact type.";
            flex_conaffinity: int [nflex] "bits" "Contact types that it can touch.";
            flex_condim: int [nflex] "1" "Contact dimensions.";
            flex_priority: int [nflex] "1" "Higher priority decides contact parameters alone.";
            flex_solmix: real [nflex] "1" "Weight when contact parameters are mixed.";
            flex_solref: real [nflex 2] "mixed" "Reference of contacts.";
            flex_solimp: real [nflex 5] "mixed" "Impedance of contacts.";
            flex_friction: real [nflex 3] "mixed" "Sliding, torsional and rolling friction.";
            flex_margin: real [nflex] "m" "Inflation for contact.";
            flex_gap: real [nflex] "m" "Further distance at which contacts are listed without force.";
            flex_selfcollide: int [nflex] "enum" "Contacts with itself: 0 none, 1 narrow, 2 bvh, 3 sap, 4 auto.";
            flex_activelayers: int [nflex] "1" "Layers of elements that touch, from the surface; 3D only.";
            flex_passive: int [nflex] "flag" "Whether contacts make passive forces.";
            flex_dim: int [nflex] "1" "Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra.";
            flex_matid: id(nmat or none) [nflex] "id" "Material; -1 for none.";
            flex_group: int [nflex] "1" "Group for display.";
            flex_interp: int [nflex] "1" "Interpolation between nodes: 0 none, 1 linear, 2 quadratic.";
            flex_cellnum: int [nflex 3] "1" "Cells of the grid of nodes along each axis.";
            flex_nodeadr: adr(nflexnode) [nflex] "id" "First node.";
            flex_nodenum: int [nflex] "1" "Number of nodes.";
            flex_vertadr: adr(nflexvert) [nflex] "id" "First vertex.";
            flex_vertnum: int [nflex] "1" "Number of vertices.";
            flex_edgeadr: adr(nflexedge) [nflex] "id" "First edge.";
            flex_edgenum: int [nflex] "1" "Number of edges.";
            flex_elemadr: adr(nflexelem) [nflex] "id" "First element.";
            flex_elemnum: int [nflex] "1" "Number of elements.";
            flex_elemdataadr: adr(nflexelemdata) [nflex] "id" "First corner of its elements.";
            flex_elemedgeadr: adr(nflexelemedge) [nflex] "id" "First edge of its elements.";
            flex_shellnum: int [nflex] "1" "Number of sides on the surface.";
            flex_shelldataadr: adr(nflexshelldata) [nflex] "id" "First corner of the sides on the surface.";
            flex_stiffnessadr: adr(nflexstiffness or none) [nflex] "id" "First stiffness number; -1 for none.";
            flex_bendingadr: adr(nflexbending or none) [nflex] "id" "First bending number; -1 for none.";
            flex_texcoordadr: adr(nflextexcoord or none) [nflex] "id" "First texture coordinate; -1 for none.";
            flex_radius: real [nflex] "m" "Radius around elements.";
            flex_size: real [nflex 3] "m" "Half size of the box around it at qpos0.";
            flex_damping: real [nflex] "s" "Rayleigh damping.";
            flex_edgestiffness: real [nflex] "N/m" "Stiffness of edges.";
            flex_edgedamping: real [nflex] "N s/m" "Damping of edges.";
            flex_edgeequality: int [nflex] "enum" "Constraint: 0 none, 1 edges, 2 vertices, 3 strain.";
            flex_rigid: int [nflex] "flag" "Whether all vertices are on one body.";
            flex_centered: int [nflex] "flag" "Whether all vertices are at the origins of their bodies.";
            flex_flatskin: int [nflex] "flag" "Whether it is shaded flat.";
            flex_rgba: real [nflex 4] "1" "Colour.";
            flex_nodebodyid: id(nbody) [nflexnode] "id" "Body of a node.";
            flex_node: real [nflexnode 3] "m" "Position of a node in its body.";
            flex_node0: real [nflexnode 3] "m" "Position at qpos0, along the axes of the grid.";
            flex_vertbodyid: id(nbody or none) [nflexvert] "id" "Body of a vertex; -1 where nodes carry it.";
            flex_vert: real [nflexvert 3] "m" "Position of a vertex in its body.";
            flex_vert0: real [nflexvert 3] "1" "Place at qpos0 in the box around all, from 0 to 1.";
            flex_vertedgeadr: adr(any) [nflexvert] "id" "First entry in the list of edges by vertex.";
            flex_vertedgenum: int [nflexvert] "1" "Number of edges of a vertex.";
            flex_vertedge: id(nflexedge) [nflexedge 2] "id" "Edges by vertex.";
            flex_edge: id(nflexvert) [nflexedge 2] "id" "Vertices of an edge.";
            flex_edgeflap: id(nflexvert or none) [nflexedge 2] "id" "Vertices opposite of an edge, of triangles; -1 for none.";
            flexedge_length0: real [nflexedge] "m" "Length of an edge at qpos0.";
            flexedge_invweight0: real [nflexedge] "1/kg" "Weight of an edge at qpos0.";
            flexedge_rigid: int [nflexedge] "flag" "Whether both ends are on one body.";
            flex_elem: id(nflexvert) [nflexelemdata] "id" "Vertices of elements.";
            flex_elemtexcoord: id(nflextexcoord) [nflexelemdata] "id" "Texture coordinates of elements.";
            flex_elemedge: id(nflexedge) [nflexelemedge] "id" "Edges of elements.";
            flex_elemlayer: int [nflexelem] "1" "Distance of an element from the surface; 3D only.";
            flex_shell: id(nflexvert) [nflexshelldata] "id" "Vertices of the sides on the surface.";
            flex_stiffness: real [nflexstiffness] "N/m" "Stiffness of elements: forms of the changes of squared edge lengths.";
            flex_bending: real [nflexbending] "N/m" "Bending of edges: a matrix over four vertices, and a force.";
            flex_texcoord: real [nflextexcoord 2] "1" "Texture coordinates.";
        } }
    };
}
pub(crate) use flexes_fields;
