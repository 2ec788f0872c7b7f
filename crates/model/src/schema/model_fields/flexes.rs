//! Deformable bodies.

macro_rules! flexes_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // flexes
            flex_contype: int [nflex] "bits" "Contact type.";
            flex_conaffinity: int [nflex] "bits" "Contact affinity: contact types that it can collide with.";
            flex_condim: int [nflex] "1" "Contact dimensions.";
            flex_priority: int [nflex] "1" "Contact priority: parameters of the higher one are used.";
            flex_solmix: real [nflex] "1" "Mixing weight of contact parameters.";
            flex_solref: real [nflex 2] "mixed" "Solver reference of contacts.";
            flex_solimp: real [nflex 5] "mixed" "Solver impedance of contacts.";
            flex_friction: real [nflex 3] "mixed" "Sliding, torsional and rolling friction.";
            flex_margin: real [nflex] "m" "Contact margin.";
            flex_gap: real [nflex] "m" "Contact gap: further distance at which contacts are detected but not active.";
            flex_selfcollide: int [nflex] "enum" "Self-collision: 0 none, 1 narrow, 2 bvh, 3 sap, 4 auto.";
            flex_activelayers: int [nflex] "1" "Number of element layers that collide, from the surface; 3D only.";
            flex_passive: int [nflex] "flag" "1 if contacts are passive forces.";
            flex_dim: int [nflex] "1" "Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra.";
            flex_matid: id(nmat or none) [nflex] "id" "Material; -1 for none.";
            flex_group: int [nflex] "1" "Group for display.";
            flex_interp: int [nflex] "1" "Interpolation between nodes: 0 none, 1 linear, 2 quadratic; negative for a shell, whose faces are elastic.";
            flex_cellnum: int [nflex 3] "1" "Cells of the node grid along each axis.";
            flex_nodeadr: adr(nflexnode) [nflex] "id" "First node.";
            flex_nodenum: num(flex_nodeadr) [nflex] "1" "Number of nodes.";
            flex_vertadr: adr(nflexvert) [nflex] "id" "First vertex.";
            flex_vertnum: num(flex_vertadr) [nflex] "1" "Number of vertices.";
            flex_edgeadr: adr(nflexedge) [nflex] "id" "First edge.";
            flex_edgenum: num(flex_edgeadr) [nflex] "1" "Number of edges.";
            flex_elemadr: adr(nflexelem) [nflex] "id" "First element.";
            flex_elemnum: num(flex_elemadr) [nflex] "1" "Number of elements.";
            flex_elemdataadr: adr(nflexelemdata) [nflex] "id" "First element corner.";
            flex_elemedgeadr: adr(nflexelemedge) [nflex] "id" "First element edge.";
            flex_shellnum: int [nflex] "1" "Number of boundary faces.";
            flex_shelldataadr: adr(nflexshelldata or none) [nflex] "id" "First corner of the boundary faces; -1 for none.";
            flex_stiffnessadr: adr(nflexstiffness or none) [nflex] "id" "First stiffness number; -1 for none.";
            flex_bendingadr: adr(nflexbending or none) [nflex] "id" "First bending number; -1 for none.";
            flex_texcoordadr: adr(nflextexcoord or none) [nflex] "id" "First texture coordinate; -1 for none.";
            flex_radius: real [nflex] "m" "Radius around elements.";
            flex_size: real [nflex 3] "m" "Half size of the bounding box at qpos0, along the axes of the grid or of the plane of constrained vertices.";
            flex_damping: real [nflex] "s" "Rayleigh damping.";
            flex_edgestiffness: real [nflex] "N/m" "Edge stiffness.";
            flex_edgedamping: real [nflex] "N s/m" "Edge damping.";
            flex_edgeequality: int [nflex] "enum" "Equality constraint: 0 none, 1 edges, 2 vertices, 3 strain.";
            flex_rigid: int [nflex] "flag" "1 if all vertices are on one body.";
            flex_centered: int [nflex] "flag" "1 if all vertices are at the origins of their bodies.";
            flex_flatskin: int [nflex] "flag" "1 if it is rendered with flat shading.";
            flex_rgba: real [nflex 4] "1" "Colour.";
            flex_nodebodyid: id(nbody) [nflexnode] "id" "Body of a node.";
            flex_node: real [nflexnode 3] "m" "Node position in its body's frame.";
            flex_node0: real [nflexnode 3] "m" "Node position at qpos0, along the axes of the grid.";
            flex_vertbodyid: id(nbody or none) [nflexvert] "id" "Body of a vertex; -1 if interpolated from nodes.";
            flex_vert: real [nflexvert 3] "m" "Vertex position in its body's frame.";
            flex_vert0: real [nflexvert 3] "1" "Vertex coordinates in the bounding box at qpos0, from 0 to 1.";
            flex_vertmetric: real [nflexvert 4] "1/(kg m2)" "Inverse inertia matrix of the edges at a vertex in the reference plane, if the equality constraint is of vertices.";
            flex_vertedgeadr: adr(any) [nflexvert] "id" "First entry in the list of incident edges.";
            flex_vertedgenum: int [nflexvert] "1" "Number of incident edges, if the equality constraint is of vertices.";
            flex_vertedge: id(nflexedge) [nflexedge 2] "id" "Incident edges of vertices, counted within the flex.";
            flex_edge: id(nflexvert) [nflexedge 2] "id" "Vertices of an edge.";
            flex_edgeflap: id(nflexvert or none) [nflexedge 2] "id" "Vertices opposite to an edge, if its triangles bend; -1 for none.";
            flexedge_length0: real [nflexedge] "m" "Edge length at qpos0.";
            flexedge_invweight0: real [nflexedge] "1/kg" "Edge inverse weight at qpos0." { follows: &[inputs::POSES, inputs::PATHS, inputs::INERTIA] };
            flexedge_rigid: int [nflexedge] "flag" "1 if both ends are on one body.";
            flexedge_J_rownnz: num(flexedge_J_rowadr) [nflexedge] "1" "Nonzeros of the edge's Jacobian row; 0 if nothing needs it.";
            flexedge_J_rowadr: adr(nJfe) [nflexedge] "id" "First nonzero of the row.";
            flexedge_J_colind: id(nv) [nJfe] "id" "Column of each nonzero; those of rows without nonzeros are 0, at the end.";
            flexvert_J_rownnz: int [nflexvert 2] "1" "Nonzeros of the vertex's two Jacobian rows, if the equality constraint is of vertices.";
            flexvert_J_rowadr: adr(any) [nflexvert 2] "id" "First nonzero of the row.";
            flexvert_J_colind: id(nv) [nJfv 2] "id" "Column of each nonzero: the one row of a vertex, then the other.";
            flex_elem: id(nflexvert) [nflexelemdata] "id" "Element vertices.";
            flex_elemtexcoord: id(any) [nflexelemdata] "id" "Element texture coordinates, if there are any.";
            flex_elemedge: id(nflexedge) [nflexelemedge] "id" "Element edges.";
            flex_elemlayer: int [nflexelem] "1" "Element layer: distance from the surface; 3D only.";
            flex_shell: id(nflexvert) [nflexshelldata] "id" "Vertices of boundary faces.";
            flex_stiffness: real [nflexstiffness] "mixed" "Elements: quadratic forms in the changes of squared edge length. Interpolated: negative stiffness of cells or faces, or numbers and modes of their strains, if constrained.";
            flex_bending: real [nflexbending] "mixed" "Of triangles, by edge: a 4x4 vertex matrix and a force. Of rods: number of hinges, then three vertices and stiffness of each. Of shells: number of edges, then two faces, the middle in both, stiffness and difference of normals of each.";
            flex_texcoord: real [nflextexcoord 2] "1" "Texture coordinates.";
        } }
    };
}
pub(crate) use flexes_fields;
